"""Makes every link of an HTML document absolute, and leaves every other byte alone.

>>> import absolve
>>> absolve.rewrite("<a href=x>", "http://example.org/a/")
'<a href=http://example.org/a/x>'
"""

from ._absolve import *  # noqa: F403
from ._absolve import __all__ as __all__
from ._absolve import __version__ as __version__
