import type { MarkedExtension, Tokens } from 'marked';

/** Shows the mark of a footnote raised, in the text (`[^1]`) and before the note (`[^1]: …`), which begins a line. */
export function footnotes(escape: (text: string) => string): MarkedExtension {
  return {
    extensions: [
      {
        name: 'footnote',
        level: 'inline',
        start: (source) => source.indexOf('[^'),
        tokenizer(source, tokens): Tokens.Generic | undefined {
          const [raw, mark] = /^\[\^([^\]\s]{1,40})\]/.exec(source) ?? [];
          if (raw === undefined || mark === undefined || this.lexer.state.inLink) return undefined;
          const isNote = source.startsWith(':', raw.length) && tokens.at(-1)?.raw.endsWith('\n') === true;
          return { type: 'footnote', raw, mark, isNote };
        },
        renderer: ({ mark, isNote }) =>
          `${isNote === true ? '<br>' : ''}<span class="footnote">${escape(String(mark))}</span>`,
      },
    ],
  };
}
