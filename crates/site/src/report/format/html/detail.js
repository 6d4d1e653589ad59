// The detail of a finding. All texts of findings reach the document by `textContent`, never as
// markup; a link has the scheme and the host that the command line gave.
function element(name, className, content, role) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (content !== undefined) made.textContent = content;
  if (role) made.setAttribute('role', role);
  return made;
}

const format = (number) => number.toLocaleString('en');
const counted = (number, name) => `${format(number)} ${name}${number === 1 ? '' : 's'}`;

// A button that copies a text, where the browser allows that.
function copyButton(text, name) {
  if (!navigator.clipboard) return '';
  const button = element('button', 'copy', 'Copy');
  button.type = 'button';
  button.setAttribute('aria-label', `Copy ${name}`);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  return button;
}

// A place with its link and the button that copies it.
function placeElement(shown, copied, link) {
  const line = element('p', 'place');
  const name = element(link ? 'a' : 'span', '', shown);
  if (link) Object.assign(name, { href: link, target: '_blank', rel: 'noopener noreferrer' });
  line.append(name, ' ', copyButton(copied, 'the path and line'));
  return line;
}

// What is shown of a row, or of the first one of a group. A new column gets a line here.
function detailOf(table, row, group) {
  const { columns, text } = table;
  const { id, summary, reason, fix } = table.ruleOf(row);
  const level = LEVELS[columns.level[row]];
  const parts = [];
  if (group) {
    const pages = new Set(group.rows.map((one) => columns.page[one])).size;
    parts.push(element('p', 'muted', `${counted(group.rows.length, 'finding')} on ${counted(pages, 'page')}, the first:`));
  }
  parts.push(element('p', level, `${level} · ${id}`), element('h3', '', text('message', row)));
  const source = text('source', row);
  parts.push(placeElement(source || table.place(row), source || table.place(row, false), table.sourceLink(row)));
  const line = text('excerpt', row);
  if (line) {
    const [start, end] = [columns.start[row], columns.start[row] + columns.length[row]];
    const excerpt = element('pre', 'excerpt', line.slice(0, start));
    excerpt.append(element('mark', '', line.slice(start, end)), line.slice(end));
    parts.push(excerpt);
  }
  const fields = element('dl');
  const shown = [['Page', source && table.place(row)], ['Help', text('hint', row), ''], ['Replacement', text('fix', row)],
    ['In', text('markup', row)], ['Reference', text('reference', row)], ['Resolved', text('url', row)],
    ['Base', text('base', row)], ['Target', text('file', row)]];
  for (const [name, value, className = 'code'] of shown) {
    if (!value) continue;
    const field = element('dd', className, value);
    if (name === 'Replacement') {
      field.append(' ', copyButton(value, 'the replacement'), element('span', 'muted', ` ${text('applied', row)}`));
    }
    fields.append(element('dt', '', name), field);
  }
  parts.push(fields);
  if (summary) { // Else it is a rule of another version.
    const rule = element('div', 'rule');
    rule.append(element('p', 'muted', summary), element('p', '', reason));
    // The fix of the rule is an example, which would contradict that of the finding.
    if (!text('hint', row) && !text('fix', row)) rule.append(element('p', '', `Fix: ${fix}`));
    parts.push(rule);
  }
  return parts;
}
