// The examples of the README: what is behind //> is the result of the expression before it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);

for (const [number, code] of examples.entries()) {
  test(`example ${number + 1}`, async () => {
    const checked = code
      .replace(/^import (.+) from '(.+)';$/gm, "const $1 = await import('$2');")
      .replace(/^([^\n/].*);\n\/\/> (.+)$/gm, 'assert.deepEqual($1, $2); checks++;');
    assert.ok(!checked.includes('//>'), checked);
    const run = new Function('assert', 'expected', `return (async () => { let checks = 0; ${checked.replaceAll('import(', 'expected.import(')}\n return checks; })()`);
    const checks = await run(assert, { import: (name) => import(name) });
    assert.equal(checks, code.split('//>').length - 1);
  });
}

test('the README has the options and the codes of the types', () => {
  const [types, described] = ['index', 'options'].map((name) => readFileSync(new URL(`../lib/${name}.d.ts`, import.meta.url), 'utf8'));
  const options = [...described.matchAll(/^ {2}(\w+)\?: .*null;$/gm)].map(([, name]) => name);
  assert.ok(options.length > 18);
  for (const option of options) assert.ok(readme.includes(`\`${option}\``), option);
  for (const [, code] of types.matchAll(/^ {2}\| '([a-z-]+)'/gm)) assert.ok(readme.includes(`\`${code}\``), code);
});
