'use strict';
// The rows of findings: filtered, sorted and grouped. Nothing here touches the document.
const LEVELS = ['error', 'warning', 'note', 'fixed'];
const SEARCHED = ['reference', 'message', 'page', 'source', 'file', 'url', 'hint', 'fix'];
const COLUMNS = [...SEARCHED, 'rule', 'level', 'target', 'line', 'column', 'markup', 'base', 'applied',
  'link', 'linkLine', 'excerpt', 'start', 'length'];

function readTable({ common, texts, rules, targets, newTargets, sourceUrl, size, columns: given }) {
  const columns = {};
  for (const name of COLUMNS) {
    columns[name] = new Uint32Array(size); // Columns end with their last number other than 0.
    columns[name].set(given[name] ?? []);
  }
  const isNew = new Set(newTargets);
  let lower; // The texts in lower case, once a search needs them.
  let ranks; // The places of the texts in their order, once they are sorted.

  const text = (name, row) => texts[columns[name][row]];
  const ruleOf = (row) => rules[columns.rule[row]];
  // A path as the table shows it, without the folder that all files are in.
  const short = (path) => (path.startsWith(common) ? path.slice(common.length) : path);

  function place(row, hasColumn = true) {
    const [line, column] = [columns.line[row], hasColumn && columns.column[row]];
    return text('page', row) + (line ? `:${line}${column ? `:${column}` : ''}` : '');
  }

  // The URL of the source line of a row, if the page has such URLs.
  function sourceLink(row) {
    const path = text('link', row);
    return path && sourceUrl?.replaceAll('{file}', () => path).replaceAll('{line}', columns.linkLine[row]);
  }

  // Whether each text has a word.
  function textsWith(word) {
    lower ??= texts.map((one) => one.toLowerCase());
    return Uint8Array.from(lower, (one) => one.includes(word));
  }

  // Whether each text is the name of a file that is looked for: `folder/*` is the files of a
  // folder without those in folders below, anything else a part of the name.
  function pagesLike(pattern) {
    const path = pattern.replace(/^\.\//, '');
    if (!path.endsWith('*')) return textsWith(path.toLowerCase());
    const folder = path.slice(0, -1);
    return Uint8Array.from(texts, (one) => one.startsWith(folder) && !one.includes('/', folder.length));
  }

  function filtered(state) {
    const wanted = state.level.split(',');
    const levels = LEVELS.map((level) => wanted.includes(level));
    const rule = rules.findIndex((one) => one.id === state.rule);
    const pages = state.file && pagesLike(state.file);
    const onlyNew = newTargets && state.new;
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
      const found = textsWith(word);
      const inRules = rules.map((one) => one.id.includes(word));
      const searched = SEARCHED.map((name) => columns[name]);
      return (row) => inRules[columns.rule[row]] || searched.some((column) => found[column[row]]);
    });
    const kept = [];
    for (let row = 0; row < size; row++) {
      if (levels[columns.level[row]] && (rule < 0 || columns.rule[row] === rule)
        && (!onlyNew || isNew.has(columns.target[row])) && (!pages || pages[columns.page[row]])
        && words.every((has) => has(row))) kept.push(row);
    }
    return sorted(kept, state.sort);
  }

  function rankOf(list) {
    const order = list.map((_, number) => number).sort((a, b) => (list[a] < list[b] ? -1 : list[a] > list[b] ? 1 : 0));
    const rank = new Uint32Array(list.length);
    order.forEach((number, at) => { rank[number] = at; });
    return rank;
  }

  // The rows in the order of a column; `-` before its name turns it. They come in that of places.
  function sorted(rows, by) {
    const name = by.replace('-', '');
    const byText = ['reference', 'message'].includes(name);
    if (byText) ranks ??= rankOf(texts);
    const ruleRanks = rankOf(rules.map(({ id }) => id));
    const key = {
      place: (row) => row,
      level: (row) => columns.level[row],
      rule: (row) => ruleRanks[columns.rule[row]],
    }[name] ?? (byText && ((row) => ranks[columns[name][row]]));
    if (!key) return rows;
    const sign = by.startsWith('-') ? -1 : 1;
    return rows.sort((a, b) => sign * (key(a) - key(b)));
  }

  // Groups of rows; unless they are sorted, the worst first, then the largest.
  function grouped(rows, { group: by, sort }) {
    if (by === 'none') return rows.map((row) => ({ rows: [row] }));
    const groups = new Map();
    for (const row of rows) {
      const key = columns[by][row];
      let group = groups.get(key);
      if (!group) groups.set(key, group = { key, rows: [], level: LEVELS.length });
      group.rows.push(row);
      group.level = Math.min(group.level, columns.level[row]);
    }
    const list = [...groups.values()];
    return sort ? list : list.sort((a, b) => a.level - b.level || b.rows.length - a.rows.length);
  }

  // The text that the rows of a group share in a column, or else the other one.
  const shared = ({ rows }, name, other) => (rows.every((row) => columns[name][row] === columns[name][rows[0]])
    ? (name === 'rule' ? ruleOf(rows[0]).id : text(name, rows[0])) : other);
  const label = ({ key, rows }, by) => short({
    rule: ruleOf(rows[0]).summary, target: texts[targets[key]], page: texts[key],
  }[by]);

  return { columns, size, text, ruleOf, short, place, sourceLink, filtered, grouped, shared, label };
}
