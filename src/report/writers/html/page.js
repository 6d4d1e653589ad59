'use strict';
// The table of findings: filters and groups the rows, and draws those that are visible.
// All texts of findings reach the document by `textContent`, never as markup.
(() => {
  const LEVELS = ['error', 'warning', 'note', 'fixed'];
  const SEARCHED = ['reference', 'message', 'page', 'file', 'url', 'hint', 'fix'];
  const DEFAULTS = { q: '', rule: '', file: '', level: 'error,warning,note', group: 'target', row: '' };
  const HEIGHT = 28; // Of a line in CSS pixels, as in page.css.
  const MARGIN = 8; // Lines that are drawn above and below the visible ones.
  const PRINTED = 1000; // Lines that go to a printer.

  const $ = (id) => document.getElementById(id);
  const { common, texts, rules, targets, columns } = JSON.parse($('data').textContent);
  const size = columns.rule.length;
  const [list, rowsElement, detail, form] = ['list', 'rows', 'detail', 'filters'].map($);
  const format = (number) => number.toLocaleString('en');
  const counted = (number, name) => `${format(number)} ${name}${number === 1 ? '' : 's'}`;
  const text = (name, row) => texts[columns[name][row]];
  const ruleOf = (row) => rules[columns.rule[row]];
  const rulesOf = ({ rows }) => (rows.every((row) => columns.rule[row] === columns.rule[rows[0]])
    ? ruleOf(rows[0]).id : 'several rules');

  let state; // What the fragment of the address says.
  let view = []; // Lines of the table: a row, or ~number of a group.
  let groups = []; // { key, rows, level, line }
  let groupOf = new Map(); // The number of the group that a row is in.
  let active = -1; // The selected line of the view.
  let opened = new Set(); // The keys of open groups.
  let lower; // The texts in lower case, once a search needs them.

  // A path as the table shows it, without the folder that all files are in.
  const short = (path) => (path.startsWith(common) ? path.slice(common.length) : path);

  function element(name, className, content, role) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (content !== undefined) made.textContent = content;
    if (role) made.setAttribute('role', role);
    return made;
  }

  function place(row) {
    const [line, column] = [columns.line[row], columns.column[row]];
    return text('page', row) + (line ? `:${line}${column ? `:${column}` : ''}` : '');
  }

  // Shows what the fragment says.
  function start() {
    const given = new URLSearchParams(location.hash.slice(1));
    state = {};
    for (const [key, value] of Object.entries(DEFAULTS)) state[key] = given.get(key) ?? value;
    for (const key of ['q', 'rule', 'file', 'group']) $(key).value = state[key];
    state.rule = $('rule').value; // Empty if there is no such rule; so it is with the group.
    state.group = $('group').value ||= DEFAULTS.group;
    for (const box of form.elements.level) box.checked = state.level.split(',').includes(box.value);
    update();
  }

  function writeState() {
    const changed = Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key]);
    const fragment = String(new URLSearchParams(changed));
    if (fragment !== location.hash.slice(1)) history.replaceState(null, '', `#${fragment}`);
  }

  function readForm() {
    if (state.group !== $('group').value) opened.clear(); // Its keys are others.
    for (const key of ['q', 'rule', 'file', 'group']) state[key] = $(key).value;
    const boxes = [...form.elements.level].filter((box) => box.checked);
    state.level = boxes.map((box) => box.value).join(',');
    state.row = '';
    update();
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

  function filtered() {
    const wanted = state.level.split(',');
    const levels = LEVELS.map((level) => wanted.includes(level));
    const rule = rules.findIndex((one) => one.id === state.rule);
    const pages = state.file && pagesLike(state.file);
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
      const found = textsWith(word);
      const inRules = rules.map((one) => one.id.includes(word));
      const searched = SEARCHED.map((name) => columns[name]);
      return (row) => inRules[columns.rule[row]] || searched.some((column) => found[column[row]]);
    });
    const kept = [];
    for (let row = 0; row < size; row++) {
      if (levels[columns.level[row]] && (rule < 0 || columns.rule[row] === rule)
        && (!pages || pages[columns.page[row]]) && words.every((has) => has(row))) kept.push(row);
    }
    return kept;
  }

  function grouped(kept) {
    const byKey = new Map();
    const keys = columns[state.group];
    for (const row of kept) {
      const key = keys[row];
      let group = byKey.get(key);
      if (!group) byKey.set(key, group = { key, rows: [], level: LEVELS.length });
      group.rows.push(row);
      group.level = Math.min(group.level, columns.level[row]);
    }
    return [...byKey.values()].sort((a, b) => a.level - b.level || b.rows.length - a.rows.length);
  }

  // The lines of the table: a group of one row is that row.
  function arrange() {
    view = [];
    groupOf = new Map();
    groups.forEach((group, number) => {
      if (group.rows.length > 1) {
        group.line = view.push(~number) - 1;
        if (!opened.has(group.key)) return;
      }
      for (const row of group.rows) {
        if (group.rows.length > 1) groupOf.set(row, number);
        view.push(row);
      }
    });
  }

  function update() {
    const kept = filtered();
    groups = state.group === 'none' ? kept.map((row) => ({ rows: [row] })) : grouped(kept);
    const chosen = state.row === '' ? -1 : Number(state.row);
    if (chosen >= 0 && state.group !== 'none') opened.add(columns[state.group][chosen]);
    arrange();
    const inGroups = state.group === 'none' || !kept.length ? '' : ` in ${counted(groups.length, state.group)}`;
    $('count').textContent = `${format(kept.length)} of ${counted(size, 'finding')}${inGroups}`;
    list.scrollTop = 0;
    select(chosen < 0 ? 0 : Math.max(0, view.indexOf(chosen)), chosen >= 0);
  }

  function lineElement(line) {
    const item = view[line];
    const row = element('div', '', undefined, 'row');
    row.id = `line-${line}`;
    row.setAttribute('aria-rowindex', line + 2);
    row.setAttribute('aria-selected', line === active);
    row.setAttribute('aria-level', groupOf.has(item) ? 2 : 1);
    row.style.top = `${line * HEIGHT}px`;
    row.dataset.line = line;
    const cell = (className, content) => row.append(element('span', className, content, 'gridcell'));
    if (item < 0) {
      const group = groups[~item];
      const isOpen = opened.has(group.key);
      row.className = 'group';
      row.setAttribute('aria-expanded', isOpen);
      cell(LEVELS[group.level], `${isOpen ? '▾' : '▸'} ${LEVELS[group.level]}`);
      cell('', rulesOf(group));
      cell('count', `${format(group.rows.length)} ×`);
      const label = { rule: rules[group.key]?.summary, target: texts[targets[group.key]], page: texts[group.key] };
      cell('label', short(label[state.group]));
      return row;
    }
    if (groupOf.has(item)) row.className = 'inner';
    cell(LEVELS[columns.level[item]], LEVELS[columns.level[item]]);
    cell('', ruleOf(item).id);
    cell('reference', text('reference', item));
    cell('', text('message', item));
    cell('place', short(place(item)));
    return row;
  }

  function draw(first = Math.floor(list.scrollTop / HEIGHT) - MARGIN,
    last = Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + MARGIN) {
    const lines = [];
    const end = Math.min(view.length, last);
    for (let line = Math.max(0, first); line < end; line++) lines.push(lineElement(line));
    rowsElement.style.height = `${view.length * HEIGHT}px`;
    rowsElement.replaceChildren(...lines);
    list.setAttribute('aria-rowcount', view.length + 1);
    list.setAttribute('aria-activedescendant', $(`line-${active}`) ? `line-${active}` : '');
  }

  function select(line, isChosen = true) {
    active = Math.max(0, Math.min(view.length - 1, line));
    const [item, top] = [view[active], active * HEIGHT];
    const room = list.clientHeight - 2 * HEIGHT; // Below the sticky head.
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top > list.scrollTop + room) list.scrollTop = top - room;
    draw();
    describe(item);
    state.row = isChosen && item >= 0 ? String(item) : '';
    writeState();
  }

  function toggle(group, isOpen = !opened.has(group.key)) {
    opened[isOpen ? 'add' : 'delete'](group.key);
    arrange();
    select(group.line);
  }

  // The detail of a row, or of the first one of a group. A new column gets a line here.
  function describe(item) {
    detail.replaceChildren();
    if (item === undefined) return;
    const group = groups[~item];
    const row = group ? group.rows[0] : item;
    const { id, summary, reason, fix } = ruleOf(row);
    const level = LEVELS[columns.level[row]];
    if (group) {
      const pages = new Set(group.rows.map((one) => columns.page[one])).size;
      const found = `${counted(group.rows.length, 'finding')} on ${counted(pages, 'page')}, the first:`;
      detail.append(element('p', 'muted', found));
    }
    detail.append(element('p', level, `${level} · ${id}`), element('h3', '', text('message', row)));
    detail.append(element('p', 'place', place(row)));
    const line = text('excerpt', row);
    if (line) {
      const [start, end] = [columns.start[row], columns.start[row] + columns.length[row]];
      const excerpt = element('pre', 'excerpt', line.slice(0, start));
      excerpt.append(element('mark', '', line.slice(start, end)), line.slice(end));
      detail.append(excerpt);
    }
    const fields = element('dl');
    const shown = [['Help', 'hint', ''], ['Replacement', 'fix'], ['In', 'markup'], ['Reference', 'reference'],
      ['Resolved', 'url'], ['Base', 'base'], ['Target', 'file']];
    for (const [name, column, className = 'code'] of shown) {
      const value = text(column, row);
      if (value) fields.append(element('dt', '', name), element('dd', className, value));
    }
    detail.append(fields);
    if (!summary) return; // A rule of another version.
    const rule = element('div', 'rule');
    rule.append(element('p', 'muted', summary), element('p', '', reason), element('p', '', `Fix: ${fix}`));
    detail.append(rule);
  }

  function onKey(event) {
    const page = Math.max(1, Math.floor(list.clientHeight / HEIGHT) - 2);
    const [group, parent] = [groups[~view[active]], groups[groupOf.get(view[active])]];
    const actions = {
      ArrowDown: () => select(active + 1),
      ArrowUp: () => select(active - 1),
      PageDown: () => select(active + page),
      PageUp: () => select(active - page),
      Home: () => select(0),
      End: () => select(view.length - 1),
      ArrowRight: () => group && toggle(group, true),
      ArrowLeft: () => (group ? toggle(group, false) : parent && select(parent.line)),
      Enter: () => (group ? toggle(group) : detail.focus()),
      ' ': () => group && toggle(group),
    };
    if (!Object.hasOwn(actions, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  }

  form.addEventListener('input', readForm);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', (event) => {
    event.preventDefault();
    opened.clear();
    location.hash = '';
  });
  list.addEventListener('scroll', () => draw(), { passive: true });
  list.addEventListener('keydown', onKey);
  list.addEventListener('click', (event) => {
    const line = event.target.closest('[data-line]')?.dataset.line;
    if (view[line] < 0) toggle(groups[~view[line]]);
    else if (line) select(Number(line));
  });
  addEventListener('resize', () => draw());
  addEventListener('hashchange', () => {
    start();
    $('findings').scrollIntoView();
  });
  addEventListener('keydown', (event) => {
    const isTyped = event.target.matches('input, select');
    if (event.key === '/' && !isTyped) {
      event.preventDefault(); // The sign itself is not typed.
      $('q').focus();
    } else if (event.key === 'Escape') list.focus();
  });
  addEventListener('beforeprint', () => {
    draw(0, PRINTED);
    const more = `${format(view.length - PRINTED)} more lines are not printed.`;
    if (view.length > PRINTED) rowsElement.append(element('div', 'empty', more));
    rowsElement.style.height = 'auto';
  });
  addEventListener('afterprint', () => draw());
  start();
})();
