// The table: draws the lines that are visible, and follows the keys, the filters and the address.
(() => {
  const DEFAULTS = {
    q: '', rule: '', file: '', level: 'error,warning,note', new: '', group: 'target', sort: '', row: '',
  };
  const MARGIN = 8; // Lines that are drawn above and below the visible ones.
  const PRINTED = 1000; // Lines that go to a printer.

  const $ = (id) => document.getElementById(id);
  const table = readTable(JSON.parse($('data').textContent));
  const { columns, size, text, short } = table;
  const [list, head, rowsElement, detail, form] = ['list', 'head', 'rows', 'detail', 'filters'].map($);

  let state; // What the fragment of the address says.
  let view = []; // Lines of the table: a row, or ~number of a group.
  let groups = []; // { key, rows, level, line }
  let groupOf = new Map(); // The number of the group that a row is in.
  let active = -1; // The selected line of the view.
  let height = 28; // Of a line in CSS pixels, which page.css says.
  const opened = new Set(); // The keys of open groups.

  // Shows what the fragment says.
  function start() {
    const given = new URLSearchParams(location.hash.slice(1));
    state = {};
    for (const [key, value] of Object.entries(DEFAULTS)) state[key] = given.get(key) ?? value;
    for (const key of ['q', 'rule', 'file', 'group']) $(key).value = state[key];
    state.rule = $('rule').value; // Empty if there is no such rule; so it is with the group.
    state.group = $('group').value ||= DEFAULTS.group;
    if (!/^-?(level|place|rule|reference|message)$/.test(state.sort)) state.sort = '';
    if ($('new')) $('new').checked = state.new;
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
    state.new = $('new')?.checked ? '1' : '';
    state.row = '';
    update();
  }

  // Sorts by a column: up, down, then as before.
  function sortBy(name) {
    state.sort = { [name]: `-${name}`, [`-${name}`]: '' }[state.sort] ?? name;
    update();
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
    rowsElement.style.height = `${view.length * height}px`; // Which decides how many lines are visible.
  }

  function update() {
    const kept = table.filtered(state);
    groups = table.grouped(kept, state);
    const chosen = state.row === '' ? -1 : Number(state.row);
    if (chosen >= 0 && state.group !== 'none') opened.add(columns[state.group][chosen]);
    arrange();
    const inGroups = state.group === 'none' || !kept.length ? '' : ` in ${counted(groups.length, state.group)}`;
    $('count').textContent = `${format(kept.length)} of ${counted(size, 'finding')}${inGroups}`;
    for (const { dataset: { sort }, parentElement } of head.querySelectorAll('[data-sort]')) {
      const order = { [sort]: 'ascending', [`-${sort}`]: 'descending' }[state.sort] ?? 'none';
      parentElement.setAttribute('aria-sort', order);
    }
    list.scrollTop = 0;
    select(chosen < 0 ? 0 : Math.max(0, view.indexOf(chosen)), chosen >= 0);
  }

  function lineElement(line) {
    const item = view[line];
    const group = groups[~item];
    const row = element('div', group ? 'group' : groupOf.has(item) ? 'inner' : '', undefined, 'row');
    row.id = `line-${line}`;
    row.setAttribute('aria-rowindex', line + 2);
    row.setAttribute('aria-selected', line === active);
    row.setAttribute('aria-level', groupOf.has(item) ? 2 : 1);
    row.style.top = `${line * height}px`;
    row.dataset.line = line;
    const cell = (className, content) => row.append(element('span', className, content, 'gridcell'));
    if (group) {
      const isOpen = opened.has(group.key);
      row.setAttribute('aria-expanded', isOpen);
      cell(`level ${LEVELS[group.level]}`, `${isOpen ? '▾' : '▸'} ${LEVELS[group.level]}`);
      cell('place number', `${format(group.rows.length)} ×`);
      cell('rule', table.shared(group, 'rule', 'several rules'));
      cell('reference', table.label(group, state.group));
      cell('message', table.shared(group, 'message', ''));
      return row;
    }
    const level = LEVELS[columns.level[item]];
    cell(`level ${level}`, level);
    cell('place', short(table.place(item)));
    cell('rule', table.ruleOf(item).id);
    cell('reference', text('reference', item));
    cell('message', text('message', item));
    return row;
  }

  function draw(first = Math.floor(list.scrollTop / height) - MARGIN,
    last = Math.ceil((list.scrollTop + list.clientHeight) / height) + MARGIN) {
    const lines = [];
    const end = Math.min(view.length, last);
    for (let line = Math.max(0, first); line < end; line++) lines.push(lineElement(line));
    rowsElement.style.height = `${view.length * height}px`;
    rowsElement.replaceChildren(...lines);
    list.setAttribute('aria-rowcount', view.length + 1);
    list.setAttribute('aria-activedescendant', $(`line-${active}`) ? `line-${active}` : '');
  }

  function select(line, isChosen = true) {
    active = Math.max(0, Math.min(view.length - 1, line));
    const [item, top] = [view[active], active * height];
    const room = list.clientHeight - height - head.offsetHeight; // Below the sticky head.
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top > list.scrollTop + room) list.scrollTop = top - room;
    draw();
    const group = groups[~item];
    detail.replaceChildren(...(item === undefined ? [] : detailOf(table, group ? group.rows[0] : item, group)));
    state.row = isChosen && item >= 0 ? String(item) : '';
    writeState();
  }

  function toggle(group, isOpen = !opened.has(group.key)) {
    opened[isOpen ? 'add' : 'delete'](group.key);
    arrange();
    select(group.line);
  }

  function onKey(event) {
    if (event.target !== list) return; // A button of the head has keys of its own.
    const page = Math.max(1, Math.floor(list.clientHeight / height) - 2);
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

  function measure() {
    height = parseInt(getComputedStyle(list).getPropertyValue('--row'), 10);
  }

  form.addEventListener('input', readForm);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', (event) => {
    event.preventDefault();
    opened.clear();
    location.hash = '';
  });
  $('more').addEventListener('click', ({ target }) => {
    target.setAttribute('aria-expanded', target.getAttribute('aria-expanded') !== 'true');
  });
  head.addEventListener('click', ({ target }) => target.dataset.sort && sortBy(target.dataset.sort));
  list.addEventListener('scroll', () => draw(), { passive: true });
  list.addEventListener('keydown', onKey);
  list.addEventListener('click', (event) => {
    const line = event.target.closest('[data-line]')?.dataset.line;
    if (view[line] < 0) toggle(groups[~view[line]]);
    else if (line) select(Number(line));
  });
  addEventListener('resize', () => {
    measure();
    draw();
  });
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
  measure();
  start();
})();
