// The smaller module: the same results for strings and UTF-8, and an error for anything else.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as full from 'absolve';
import * as lite from 'absolve/lite';
import { documents } from './documents.mjs';

const outcome = (work) => {
  try { return work(); } catch (error) { return error.code; }
};

test('strings and UTF-8 become the same', () => {
  assert.notEqual(lite.rewrite, full.rewrite);
  for (const document of documents(1000, 11)) {
    for (const options of [{}, { standard: 'whatwg' }, { as: 'css' }, { as: 'xml' }]) {
      const [one, other] = [full, lite].map(({ rewrite, links }) => {
        const bytes = Buffer.from(document);
        return outcome(() => [rewrite(document, 'http://h/', options), links(document, 'http://h/', options), rewrite(bytes, 'http://h/', { ...options, encoding: 'utf-8' })]);
      });
      assert.deepEqual(other, one, document);
    }
  }
});

test('bytes in another encoding are an error', () => {
  for (const bytes of ['<a href=x>\xe9', '\xff\xfe<\0', '<meta charset=shift_jis><a href=x>'].map((text) => Buffer.from(text, 'latin1'))) {
    assert.throws(() => lite.rewrite(bytes, 'http://h/'), { code: 'encoding', message: /reads utf-8 alone/ });
  }
  assert.equal(lite.rewrite(Buffer.from('<meta charset=utf-8><a href=x>é'), 'http://h/').toString(), '<meta charset=utf-8><a href=http://h/x>é');
  assert.throws(() => lite.rewrite('', 'http://h/', { as: 'markdown' }), { code: 'option', option: 'as' });
});

test('the entries of CommonJS and browsers work', async () => {
  const require = createRequire(import.meta.url);
  assert.equal(require('absolve/lite').rewrite('<a href=x>', 'http://h/'), '<a href=http://h/x>');
  const web = await import('../dist/lite.web.js');
  assert.equal(typeof web.init, 'function');
});
