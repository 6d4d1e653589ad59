"""Fetches URLs through the recorder of pywb, into the collection `rec` of this folder."""

import os
import socket
import subprocess
import sys
import time
import urllib.request

os.environ["no_proxy"] = ""
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    address = free.getsockname()
options = ["--proxy", "rec", "--proxy-record", "--live", "-b", address[0], "-p", str(address[1])]
recorder = subprocess.Popen(["wayback", *options])
try:
    while recorder.poll() is None:
        try:
            socket.create_connection(address).close()
            break
        except OSError:
            time.sleep(0.1)
    proxy = urllib.request.ProxyHandler({"http": "http://{}:{}".format(*address)})
    opener = urllib.request.build_opener(proxy)
    for url in sys.argv[1:]:
        opener.open(url).read()
finally:
    recorder.terminate()
    recorder.wait()
