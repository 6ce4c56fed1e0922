import type { ShownSession } from '../../../src/protocol/chatProtocol';
import type { Reference } from '../../../src/protocol/codeProtocol';
import { answer, prompt, settledTurn, shownSession } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** What the host knows about names in these answers. */
export const knownReferences: Readonly<Record<string, Reference>> = {
  'src/upload.ts:42': { kind: 'file', href: 'src/upload.ts:42' },
  'src/upload.ts': { kind: 'file', href: 'src/upload.ts' },
  'upload.test.ts line 7': { kind: 'file', href: 'test/upload.test.ts:7' },
  'test/upload.test.ts': { kind: 'file', href: 'test/upload.test.ts' },
  waitBefore: { kind: 'symbol', name: 'waitBefore' },
  'Clock.sleep()': { kind: 'symbol', name: 'Clock.sleep()' },
};

export const codeText = `The timer in \`src/upload.ts:42\` calls \`waitBefore\`, which ends in \`Clock.sleep()\`; \`setTimeout\` is the editor's. See src/upload.ts, and upload.test.ts line 7.

\`\`\`ts title="src/upload.ts"
export async function upload(file: File, clock: Clock): Promise<void> {
  // the clock comes in, so that a test can hold it still, however long this comment is that nobody reads to its end
  for (let attempt = 1; attempt <= 3; attempt++) if (await send(file)) return;
}
\`\`\`

Run it:

\`\`\`bash
npm test -- upload
\`\`\`

\`\`\`
no language at all
\`\`\`

- in a list:

  \`\`\`python
  print('indented')
  \`\`\`

> \`\`\`json
> { "quoted": true }
> \`\`\``;

const mathText = `The waits are $w_n = 200 \\cdot n$ ms, so $\\sum_{n=1}^{3} w_n$ is *at most* 1200 ms:

$$
\\begin{aligned}
w_1 + w_2 + w_3 &= 200 + 400 + 600 \\\\
                &= 1200
\\end{aligned}
$$

It costs $5 and $10 elsewhere, \\(a_1\\) is \\[b_2\\].

$$
f(x) = \\int_{-\\infty}^{\\infty} \\hat f(\\xi)\\, e^{2 \\pi i \\xi x} \\, d\\xi \\qquad \\left( \\frac{\\sqrt{1 + \\sqrt{a}}}{\\displaystyle\\prod_{k \\le n} \\left[ \\tfrac{1}{k} \\right]} \\right)^{\\mathbb{R}} \\qquad \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} \\cdot \\overbrace{x + y}^{\\mathcal{L}} \\xrightarrow{\\text{then}} \\boldsymbol{\\alpha}
$$

- $E = mc^2$ in a list, and $\\frac{1}{2$ with a mistake.

| Case | Cost |
|---|---|
| best | $O(n \\log n)$ |
| worst | $O(n^2)$ |`;

const diagramText = `The order of the calls:

\`\`\`mermaid
sequenceDiagram
  participant Queue
  participant upload
  Queue->>upload: upload(file, clock)
  upload-->>Queue: UploadError after three attempts, which is a long note on an arrow
\`\`\`

It never waits for real time.`;

const otherText = `# First\n\n## Second\n\n### Third\n\n1. one
   - two *levels*
     - three levels
       1. four
2. again

- [x] find the timer
- [ ] inject the clock
  - [ ] in the queue too

| Attempt | Delay | Seen on CI | What was tried | Why it did not help |
|--------:|:-----:|------------|----------------|---------------------|
| 1 | 200 ms | always | a longer timeout | the clock is real |
| 2 | 400 ms | sometimes, but more often on Mondays | retrying | \`waitBefore\` waits |

A note.[^1] A link to [the manual](https://example.com/manual), to [github.com](https://evil.example/login), and https://user@bank.example/.

[^1]: The mark of a footnote is raised.

<details>
<summary>More</summary>
raw <b>HTML</b> stays text
</details>

> A quote
> > within a quote

---

Done ~~not~~.`;

const asked = (text: string): ShownSession =>
  shownSession({
    messages: [prompt({ uid: 'u1', position: 1 }, 'Show me'), answer({ uid: 'a1', position: 2 }, [text])],
    turns: [settledTurn()],
  });

/** Code, names, math and everything else that Markdown makes. */
export function codeStates(): Readonly<Record<string, PreviewState>> {
  return {
    code: chat(asked(codeText), { hover: 'Hermes' }),
    diagram: chat(asked(diagramText), { hover: 'Hermes' }),
    math: chat(asked(mathText)),
    markdown: chat(asked(otherText)),
  };
}
