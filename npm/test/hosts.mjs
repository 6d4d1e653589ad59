// Hosts, and what the URL Standard makes of them; null where it refuses one.

export const HOSTS = [
  ['bücher.example', 'xn--bcher-kva.example'], ['BÜCHER.example', 'xn--bcher-kva.example'], ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.Example', 'xn--bcher-kva.example'], ['xn--a', null], ['xn--', null], ['xn--a-ecp.ru', null], ['xn--bücher-kva', null],
  ['faß.de', 'xn--fa-hia.de'], ['FASS.de', 'fass.de'], ['日本語。ＪＰ', 'xn--wgv71a119e.jp'], ['σς.gr', 'xn--3xab.gr'], ['ℌ.example', 'h.example'],
  ['①②③.example', '123.example'], ['\u{1f600}.example', 'xn--e28h.example'], ['a\u0338.example', 'xn--a-2eb.example'],
  // Text from right to left, marks and joiners.
  ['a.אב.example', 'a.xn--4dbc.example'], ['אב1.example', 'xn--1-zhcd.example'], ['a\u200f.example', null], ['\u202e.example', null],
  ['a\u00adb.example', 'ab.example'], ['\u00ad', null], ['\u200c.example', null],
  // Numbers are addresses.
  ['0x7f.1', '127.0.0.1'], ['0x7F000001', '127.0.0.1'], ['0300.0250.1', '192.168.0.1'], ['\uff11.2.3.4', '1.2.3.4'], ['256.256.256.256', null],
  ['1.2.3.4.5', null], ['4294967296', null], ['1..2', null], ['[::FFFF:1.2.3.4]', '[::ffff:102:304]'], ['[1:2]', null],
  // Empty labels, and what is escaped.
  ['.example', '.example'], ['example.', 'example.'], ['a..b', 'a..b'], ['..', '..'], ['%2e.example', '..example'], ['%41.example', 'a.example'],
  ['b%C3%BCcher.example', 'xn--bcher-kva.example'], ['a%00b', null], ['a%2fb', null], ['ex%zz', null], ['a\uff05b', null], ['a\uff0fb', null],
  ['a_b.Example', 'a_b.example'], ['-a.example', '-a.example'], ['a-.example', 'a-.example'], [`${'x'.repeat(300)}ü%`, null],
];
