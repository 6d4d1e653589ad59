// Writes a ZIP file of stored members.

const CRC = Uint32Array.from({ length: 256 }, (_, number) => {
  for (let bit = 0; bit < 8; bit++) number = number & 1 ? (number >>> 1) ^ 0xedb88320 : number >>> 1;
  return number;
});

function crc32(bytes) {
  let crc = ~0;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ CRC[(crc ^ bytes[at]) & 255];
  return ~crc >>> 0;
}

/** Numbers in little endian: each is a value and its bytes. */
function numbers(...fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0));
  let at = 0;
  for (const [value, size] of fields) for (let byte = 0; byte < size; byte++) bytes[at++] = Math.floor(value / 256 ** byte) & 255;
  return bytes;
}

/** The parts of a ZIP file with these files, whose names are UTF-8. */
function zip(files) {
  const [parts, directory] = [[], []];
  let [offset, count] = [0, 0];
  const check = (size) => {
    if (offset + size > 0xffffffff || count > 0xffff) throw new Error('a ZIP file of this kind has at most 4 GiB and 65,535 files');
  };
  for (const { name, bytes } of files) {
    const path = new TextEncoder().encode(name);
    // Version 2.0, names in UTF-8, stored, 1 January 1980.
    const common = [[20, 2], [0x800, 2], [0, 2], [0, 2], [0x21, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [path.length, 2], [0, 2]];
    const header = numbers([0x04034b50, 4], ...common);
    directory.push(numbers([0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), path);
    // A blob may be on a disk.
    parts.push(header, path, new Blob([bytes]));
    offset += header.length + path.length + bytes.length;
    count++;
    check(0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  check(size);
  const end = numbers([0x06054b50, 4], [0, 4], [count, 2], [count, 2], [size, 4], [offset, 4], [0, 2]);
  return [...parts, ...directory, end];
}
