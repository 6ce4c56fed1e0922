/** ESLint rule: no line is wider than Prettier's `printWidth`, comments and strings included. */

const width = 120;

/** Lines that cannot be shorter: a URL, an expression, an import. */
const unbreakable = /https?:\/\/\S+|^\s*(?:import|export)\b.*\bfrom\s+['"]/;

/** The functions of vitest whose first argument is a title. */
const titled = '/^(it|test|describe)$/';

/** @type {import('eslint').Rule.RuleModule} */
export const lineWidth = {
  meta: {
    type: 'layout',
    schema: [],
    messages: { wide: `{{length}} characters; at most ${width}. Wrap the comment, or split the string.` },
  },
  create: ({ sourceCode, report }) => {
    /** @type {Set<number>} */
    const exempt = new Set();
    const exemptLines = ({ loc }) => {
      for (let line = loc.start.line; line <= loc.end.line; line++) exempt.add(line);
    };
    const exemptTitle = (node) => {
      if (node.type === 'Literal' || node.type === 'TemplateLiteral') exemptLines(node);
    };
    return {
      // A text of several lines is what it says, line by line.
      TemplateLiteral: (node) => {
        if (node.loc.start.line !== node.loc.end.line) exemptLines(node);
      },
      'Literal[regex]': exemptLines,
      // Translations are found by the whole English text (l10n/).
      'CallExpression[callee.name="t"] > Literal.arguments:first-child': exemptLines,
      // A title is one sentence, and searched for as it is printed.
      [`CallExpression[callee.name=${titled}] > .arguments:first-child`]: exemptTitle,
      [`CallExpression[callee.object.name=${titled}] > .arguments:first-child`]: exemptTitle,
      [`CallExpression[callee.callee.object.name=${titled}] > .arguments:first-child`]: exemptTitle,
      'Program:exit': () => {
        for (const [index, text] of sourceCode.lines.entries()) {
          const line = index + 1;
          const length = [...text].length;
          if (length <= width || exempt.has(line) || unbreakable.test(text)) continue;
          const loc = { start: { line, column: width }, end: { line, column: text.length } };
          report({ loc, messageId: 'wide', data: { length: String(length) } });
        }
      },
    };
  },
};
