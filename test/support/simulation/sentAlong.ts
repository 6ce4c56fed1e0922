import type { SentPart } from '../../../src/transcript/draftPart';

/** What people send along with a prompt, told by its words alone: every third one has an attachment, so that a prompt made of several (what a turn
 *  was told is asked again with its prompt) has those of all of them. */
export function sentAlong(text: string): readonly SentPart[] {
  return text.split('\n\n').flatMap((each): readonly SentPart[] => {
    const number = /^prompt (\d+)$/.exec(each)?.[1];
    return number === undefined || Number(number) % 3 !== 2
      ? []
      : [{ kind: 'attachment', label: `file ${number}`, source: `file:${number}`, text: `content of file ${number}` }];
  });
}
