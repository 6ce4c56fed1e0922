/** Guards of what a star in a rule covers. Shape and use: ../guardTable.mjs. */
const tests = ['test/unit/tools/approval/starRules'];
const flags = 'src/tools/approval/shell/knownPrograms.ts';
const words = 'src/tools/approval/shell/starArguments.ts';

export const guards = [
  {
    name: 'a word that names a guarded file takes the star away',
    file: 'src/tools/approval/judgeCommand.ts',
    tests,
    from: 'found === null ? reasons.length > 0 :',
    to: "found === null ? reasons.some((reason) => reason !== 'repositoryInternals') :",
  },
  {
    name: 'Git is asked about the files it writes',
    file: 'src/tools/approval/writtenPaths.ts',
    tests,
    from: "if (keepingVerbs.has(verb?.text ?? '')) return () => [];",
    to: 'return () => [];',
  },
  {
    name: 'a path after any letter of a bundle is seen',
    file: 'src/tools/approval/writtenPaths.ts',
    tests,
    from: 'Math.min(Math.max(flags - 1, 0), 6)',
    to: 'Math.min(Math.max(flags - 1, 0), 1)',
  },
  {
    name: 'every letter of a bundle is known',
    file: flags,
    tests: [...tests, 'test/fuzz/starRules'],
    from: 'if (known.letters?.includes(letter) !== true) return unknown;',
    to: 'if (index === 0 && known.letters?.includes(letter) !== true) return unknown;',
  },
  {
    name: 'a long flag is known by its whole name',
    file: flags,
    tests,
    from: '{ isHarmless: isIn(known.long), takesNext: false }',
    to: '{ isHarmless: true, takesNext: false }',
  },
  {
    name: 'a star stands for known verbs only',
    file: words,
    tests,
    from: 'if (hasVerbs && !hasWord(known.verbs, verb)',
    to: 'if (hasVerbs && false',
  },
  {
    name: 'the rule names the program that is launched',
    file: words,
    tests,
    from: '(launched.at >= named.length && !launched.isKnown)',
    to: 'false',
  },
  {
    name: 'modules of Python that take code are not covered',
    file: words,
    tests,
    from: "pythonModules.has(words[2] ?? '') ? 2 : words.length",
    to: '2',
  },
  {
    name: 'databases and editors carry commands in any word',
    file: 'src/tools/approval/shell/commandWrappers.ts',
    tests,
    from: 'carriers.test(programName(word)) || commandReaders.test(programName(word))',
    to: 'carriers.test(programName(word))',
    also: [{ from: 'return commandReaders.test(command) || (', to: 'return (' }],
  },
  {
    name: 'every word that may be the repository names a remote',
    file: words,
    tests,
    from: 'if (flag === null || (flag.isHarmless && !flag.takesNext)) break;',
    to: 'break;',
  },
  {
    name: 'a bundle of tar without a dash is read',
    file: words,
    tests,
    from: "if (command === 'tar' && named.length === 1 && !isHarmlessBundle(rest[0], spec)) return false;",
    to: '',
  },
  {
    name: 'a word of an unknown program that runs another one is not covered',
    file: words,
    tests,
    from: 'return spec.carrying?.test(text) !== true && (',
    to: 'return (',
  },
  {
    name: 'arguments of a script of the project are looked at',
    file: words,
    tests,
    from: "  return !carries('', text);\n}\n\ninterface Launched",
    to: '  return true;\n}\n\ninterface Launched',
  },
];
