// What must be noticed when a rule about drawing a very long answer is switched off; the shape is that of `guards` in ../mutations.mjs.
export const guards = [
  {
    name: 'what ends code without a fence begins the next piece',
    file: 'src/webview/markdown/textPieces.ts',
    tests: ['test/unit/webview/markdown/textPieces'],
    from: "holds === 'code' ? this.next : start",
    to: 'this.next',
  },
  {
    name: 'code that is cut is opened again',
    file: 'src/webview/markdown/textPieces.ts',
    tests: ['test/unit/webview/markdown/textPieces'],
    from: 'this.cutAt(line > this.from ? line : this.next, this.codeOpening)',
    to: "this.cutAt(this.next, '')",
  },
  {
    name: 'no piece ends inside of a character',
    file: 'src/webview/markdown/textPieces.ts',
    tests: ['test/unit/webview/markdown/textPieces'],
    from: "/[\\uD800-\\uDBFF]/.test(this.text[most - 1] ?? '') ? most - 1 : most",
    to: 'most',
  },
  {
    name: 'every piece is drawn in the end',
    file: 'src/webview/markdown/longText.ts',
    tests: ['test/unit/webview/markdown/longAnswer'],
    from: '    this.rendered++;',
    to: '    this.rendered = 2;',
  },
];
