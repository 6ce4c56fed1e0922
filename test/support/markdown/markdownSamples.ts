import { tests } from 'commonmark-spec';

/** The examples of CommonMark's own specification. */
export const specExamples: readonly string[] = tests.map(({ markdown }) => markdown.replaceAll('\u2192', '\t'));

/** Answers about the tags themselves, in every kind of code, and answers that repeat themselves. */
export const answersAboutTags: readonly string[] = [
  'Use `<think>` and `</think>`; ``a ` <memory-context>`` too.\n\n```xml\n<root>\n<thinking>\ninner words\n</thinking>\n</root>\n```\nDone.\n',
  '1. Like this:\n   ~~~html\n   <memory-context>\n   - a\n   </memory-context>\n   ```\n   <think>\n   ~~~\n2. Or so:\n\n       <think>x</think>\n\n> ````\n> ```\n> <think>\n> ```\n> ````\n> `</think>`\n',
  '| tag | meaning |\n|---|---|\n| `<think>` | begins it |\n| `</think>` | ends it |\n\n- ```sh\n  grep "<think>" log\n  ```\n- then `</think>`\n',
  '<details>\n<summary>Log</summary>\n\n```\n<memory-context>\n- x\n</memory-context>\n```\n\n</details>\n\n<pre>\n<think>\n</think>\n</pre>\n',
  'Run\n```npm install```\nthen `<think>\nover two lines</think>` and\n\n\t<think>tab</think>\n',
];

/** Text whose next words are like the ones before: a genuine continuation may begin with any of them. */
export const repetitiveAnswers: readonly string[] = [
  `[\n${'  {"type": "entry", "value": "the default one", "count": 10},\n'.repeat(6)}]\n`,
  `- milk\n- bread\n${'- the same item once more, as it was ordered\n'.repeat(4)}- milk\n`,
  `${'Row, row, row your boat gently down the stream.\nMerrily, merrily, life is but a dream.\n\n'.repeat(3)}Row, row, row your boat gently down the stream.`,
  `| a | b |\n|---|---|\n${'| the same cell in every row | and this one as well |\n'.repeat(5)}`,
  `Na ${'na na na na '.repeat(12)}hey`,
  `0000 ${'00 '.repeat(60)}\n${'='.repeat(80)}\n${'='.repeat(80)}\n`,
  `${'}\n'.repeat(40)}${'    return null;\n  }\n\n'.repeat(8)}`,
];
