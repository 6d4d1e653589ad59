import json
import logging
import os
import sys

from gevent.monkey import patch_all

patch_all()
logging.disable(logging.CRITICAL)

from pywb.apps.frontendapp import FrontEndApp
from pywb.manager.manager import main as manage
from werkzeug.test import Client

archive, folder = map(os.path.abspath, sys.argv[1:3])
os.makedirs(folder)
os.chdir(folder)
out, sys.stdout = sys.stdout, sys.stderr
manage(['init', 'c'])
manage(['add', 'c', archive])
client = Client(FrontEndApp())
with open('collections/c/indexes/index.cdxj') as index:
    lines = sorted(index)
for line in lines:
    _, time, fields = line.split(' ', 2)
    fields = json.loads(fields)
    reply = client.get('/c/%sid_/%s' % (time, fields['url']))
    print(json.dumps({
        'url': fields['url'],
        'time': time,
        'mime': fields['mime'],
        'status': reply.status_code,
        'headers': sorted((name.lower(), value) for name, value in reply.headers.items()),
        'body': reply.get_data().decode('latin-1'),
    }), file=out)
