// Parts of a result as texts, with marks where it has other values than the document.

/** How a file begins that is no text. */
const BINARY = /^(PK\x03\x04|\x1f|%PDF)|\0/;
/** Bytes of a document that are shown at once. */
const PART = 50_000;

/** Values that changed, with their spans in the result and in the document: whole values, and of a document inside a value that. */
function marks(list, edits) {
  const links = Array.from({ length: list.length }, (_, link) => link).filter((link) => list.start(link) >= 0);
  // They are in order, but for documents in values.
  if (links.some((link, at) => at && list.start(link) < list.start(links[at - 1]))) links.sort((a, b) => list.start(a) - list.start(b));
  const found = [];
  let [next, moved, last, latest] = [0, 0, undefined, -1];
  for (let at = 0; at < edits.length; at += EDIT) {
    const [start, end, written] = [edits[at], edits[at + 1], edits[at + 2]];
    while (next < links.length && list.end(links[next]) < start) next++;
    const value = next < links.length && list.start(links[next]) <= end ? links[next] : undefined;
    const from = value === undefined ? start : Math.min(list.start(value), start);
    const to = value === undefined ? end : Math.max(list.end(value), end);
    const grown = written - end - moved;
    // Several edits of one value are one mark.
    if (from === latest || from + moved < last?.[1]) [last[1], last[3]] = [last[1] + grown, Math.max(last[3], to)];
    else found.push(last = [from + moved, to + moved + grown, from, to]);
    [latest, moved] = [from, moved + grown];
  }
  return found;
}

/** The encoding that a document is shown in. */
function decoderOf(file) {
  const { bytes } = file;
  const label = () => {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return 'utf-8';
    } catch {
      return /(?:charset|encoding)\s*=\s*["']?([\w-]+)/i.exec(String.fromCharCode(...bytes.subarray(0, 1024)))?.[1] ?? 'windows-1252';
    }
  };
  try {
    return new TextDecoder(label());
  } catch {
    return new TextDecoder('windows-1252');
  }
}

/** Which of the marks have a link with another URL by the other standard. */
function differing({ list, other }, found) {
  const starts = (other ?? []).flatMap((url, link) => (url ? list.start(link) : [])).sort((a, b) => a - b);
  let at = 0;
  return found.map(([, , from, to]) => {
    while (starts[at] < from) at++;
    return starts[at] <= to;
  });
}

/** A part of a result as texts, of which every second one is marked. */
function part(file, number) {
  const { result, marks: all } = file;
  if (file.isOther && BINARY.test(String.fromCharCode(...result.subarray(0, 1000)))) return { texts: [], differing: [], parts: 0 };
  file.decoder ??= decoderOf(file);
  const cut = (at) => {
    if (at >= result.length) return result.length;
    const end = result.subarray(at - 4096, at).lastIndexOf(62);
    const found = end < 0 ? at : at - 4096 + end + 1;
    // A value is not cut.
    return all.find(([from, to]) => from < found && found < to)?.[0] ?? found;
  };
  const [start, end] = [number === 0 ? 0 : cut(number * PART), cut((number + 1) * PART)];
  const [texts, shown] = [[], []];
  let at = start;
  for (const mark of all) {
    const [from, to] = mark;
    if (from < at || to > end) continue;
    shown.push(mark);
    texts.push(file.decoder.decode(result.subarray(at, from)), file.decoder.decode(result.subarray(from, to)));
    at = to;
  }
  texts.push(file.decoder.decode(result.subarray(at, end)));
  return { texts, differing: differing(file, shown), parts: Math.ceil(result.length / PART) };
}
