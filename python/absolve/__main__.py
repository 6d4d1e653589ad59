"""The command ``absolve``, as ``python -m absolve`` and as the script of the wheel."""

import os
import signal
import sys

from ._absolve import _command


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit code."""
    _open_standard_streams()
    # Ctrl-C ends the command as it ends a program, without a traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _command(sys.argv[1:])


def _open_standard_streams() -> None:
    """Opens streams that are closed, so that no document that is written becomes one of them."""
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


if __name__ == "__main__":
    sys.exit(main())
