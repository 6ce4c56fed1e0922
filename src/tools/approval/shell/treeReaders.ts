import { programName } from './commandWords';
import type { ShellWord } from './shellCommand';

/** True when the command outputs the contents of files that it does not name: whole folders, or Git history. */
export function readsWholeTree(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words.map(({ text }) => text);
  const command = programName(first ?? '');
  if (/^(rg|ag|ack|rgrep|ugrep|ug|sift|pt)$/.test(command)) return true;
  if (/^[efbz]?grep$/.test(command))
    return rest.some((text) => /^-[A-Za-z\d]*[rR]|^--(r|de|dir)|^-[A-Za-z]*d/.test(text));
  return (
    command === 'git' &&
    rest.some((text) =>
      [
        'grep',
        'diff',
        'log',
        'show',
        'archive',
        'stash',
        'whatchanged',
        'format-patch',
        'range-diff',
        'cat-file',
      ].includes(text),
    )
  );
}

/** True when such a search includes hidden or ignored files, which often hold secrets. */
export function searchesHidden(words: readonly ShellWord[]): boolean {
  const [first, ...rest] = words.map(({ text }) => text);
  const command = programName(first ?? '');
  if (command === 'rg')
    return rest.some((text) => /^-[A-Za-z\d]*[uLg.]|^--(h|no-ig|u|fo|glob|ig|search-z|pre)/.test(text));
  return /^[efbz]?grep$/.test(command) && readsWholeTree(words);
}
