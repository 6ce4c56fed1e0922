import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageReader } from '../../../../src/tools/web/page/pageReader';
import { readablePage } from '../../../../src/tools/web/page/readablePage';

const read = (html: string) => readablePage(html, 'https://example.com/docs/page');
const sentence =
  'The retry timer uses the real clock, which is why the upload test fails on slow machines, and only there. ';

it('keeps an article and leaves out menus and scripts', () => {
  const page = read(
    `<html><head><title> Retry  timers </title><style>p{}</style></head><body><nav><a href="/">Home</a><a href="/x">Other</a></nav>
     <article><h1>Retry timers</h1><p>${sentence.repeat(4)}</p><h2>How</h2><ul><li>one <b>bold</b></li><li><a href="../api#x">the API</a></li></ul>
     <pre><code class="language-ts">const a = 1;\nif (a &lt; 2) b();</code></pre><script>alert("no")</script><p>${sentence.repeat(3)}</p></article><footer>Imprint</footer></body></html>`,
  );
  expect(page.title).toBe('Retry timers');
  expect(page.text).toContain('## How');
  expect(page.text).toContain('**bold**');
  expect(page.text).toContain('[the API](https://example.com/api#x)');
  expect(page.text).toContain('const a = 1;\nif (a < 2) b();');
  expect(page.text).not.toMatch(/alert|Imprint|Home/);
});

it('keeps all of a page that has no article', () => {
  expect(
    read(
      '<title>List</title><h1>Ports</h1><table><tr><th>Name</th><th>Port</th></tr><tr><td>http</td><td>80</td></tr></table><a href="javascript:steal()">press</a>',
    ),
  ).toEqual({
    title: 'List',
    text: expect.stringMatching(/^# Ports\n\n\| Name \| Port \|\n\| http \| 80 \|\s+press$/),
  });
});

it('makes text of a fragment, of a page that closes no tag, and of an empty page', () => {
  expect(read('just <b>words').text).toBe('just **words**');
  expect(read('<html><body><p>a<p>b<div>c').text).toBe('a\n\nb\n\nc');
  expect(read('').text).toBe('');
});

describe('the thread that reads', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'hermes-page-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const thread = (code: string): string => {
    const file = join(folder, 'thread.cjs');
    writeFileSync(file, `const { parentPort } = require('node:worker_threads');\n${code}`);
    return file;
  };
  const page = '<title>a</title><script>b</script><p>bare &amp; <b>words';

  it('returns what it read', async () => {
    const answer = 'parentPort.postMessage({ kind: "done", id, value: { title: args[0].url, text: args[0].html } })';
    const read = pageReader(thread(`parentPort.on('message', ({ id, args }) => ${answer});`));
    expect(await read('html', 'address', new AbortController().signal)).toEqual({ title: 'address', text: 'html' });
  });

  it.each([
    ['never ends', 'for (;;);'],
    ['fails', 'throw new Error("too deep");'],
    ['is gone', 'process.exit(3);'],
    [
      'answers nonsense',
      'parentPort.on("message", ({ id }) => parentPort.postMessage({ kind: "done", id, value: 7 }));',
    ],
  ])('returns the bare words where it %s', async (_case, code) => {
    expect(await pageReader(thread(code), 300)(page, 'https://example.com', new AbortController().signal)).toEqual({
      title: '',
      text: 'a bare &amp; words',
    });
  });

  it('can be stopped', async () => {
    const stop = new AbortController();
    const reading = pageReader(thread('for (;;);'))(page, 'https://example.com', stop.signal);
    stop.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });
});
