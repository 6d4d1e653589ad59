import gzip, io, sys, zlib
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter
PAGE = b'<!DOCTYPE html><title>%d</title><link rel=stylesheet href=/s.css><a href=../x>x</a><img src=y.png>'
def head(status, headers): return StatusAndHeaders(status, headers, protocol='HTTP/1.1')
with open(sys.argv[1], 'wb') as file:
    writer = WARCWriter(file, gzip=True)
    writer.write_record(writer.create_warcinfo_record('crawl.warc.gz', {'software': 'a trial'}))
    def write(url, status, headers, body, date):
        response = writer.create_warc_record(url, 'response', payload=io.BytesIO(body), http_headers=head(status, headers), warc_headers_dict={'WARC-Date': date})
        request = writer.create_warc_record(url, 'request', http_headers=StatusAndHeaders('GET / HTTP/1.1', [('Host', 'h')], is_http_request=True), warc_headers_dict={'WARC-Date': date})
        writer.write_request_response_pair(request, response)
        return response
    html = [('Content-Type', 'text/html; charset=utf-8'), ('X-Own', 'kept')]
    date = '2024-01-0%dT00:00:00Z'
    first = write('http://h/a/', '200 OK', html + [('Content-Length', str(len(PAGE % 1)))], PAGE % 1, date % 1)
    body = gzip.compress(PAGE % 2)
    chunked = b'%x\r\n' % len(body) + body + b'\r\n0\r\n\r\n'
    coded = write('http://h/b/c', '200 OK', html + [('Content-Encoding', 'gzip'), ('Transfer-Encoding', 'chunked')], chunked, date % 1)
    write('http://h/moved', '301 Moved Permanently', html + [('Location', '/b/c')], b'<a href=b/c>here</a>', date % 2)
    write('http://h/gone', '404 Not Found', html, b'<a href=a/>not found</a>', date % 2)
    write('http://h/s.css', '200 OK', [('Content-Type', 'text/css')], b'a{background:url(i.png)}', date % 2)
    for original, headers in [(first, html), (coded, html + [('Content-Encoding', 'gzip'), ('Transfer-Encoding', 'chunked')])]:
        get = original.rec_headers.get_header
        writer.write_record(writer.create_revisit_record(get('WARC-Target-URI'), get('WARC-Payload-Digest'), get('WARC-Target-URI'), get('WARC-Date'), http_headers=head('200 OK', headers), warc_headers_dict={'WARC-Date': date % 3}))
