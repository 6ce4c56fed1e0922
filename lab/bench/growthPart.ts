import { MarkdownBlocks } from '../../src/webview/markdown/blocks';
import { fileNamesIn, mayBeName } from '../../src/webview/markdown/references';
import { maskSecrets, secretRules } from '../../src/models/secrecy/secrecy';
import { findSecrets } from '../../src/models/secretlint/index';
import { hostileMarkdown } from '../../test/support/hostileMarkdown';
import type { Aim, Part } from './part';

/** Beginnings of keys: a careless expression reads a run of them again from each of its characters. */
const maskingUnits = [
  'sk-',
  'eyJaaaaaaaa-',
  'eyJaaaaaaaa.',
  'eyJaaaaaaaa.bbbbbbbb.cccccccc.',
  `SG.aa.${'a'.repeat(300)} `,
  'https://',
  'bearer aaaaaaaaaaaa/',
  'token: ',
  'token:"aaaaaa',
  '-----BEGIN A',
  '://a:aaaaaa',
  ' ',
  'a',
  'ghp_',
  '.',
  'eyJ',
];

/** How many times as much hostile text costs as a quarter of it: 4 in proportion, 16 with the square. `size`:
 *  characters of the text that is masked. */
export const growthPart: Part = async ({ quick, size }) => {
  const characters = size ?? (quick ? 100_000 : 300_000);
  secretRules.from({
    load: () => findSecrets,
    onFailure: (error) => {
      throw error;
    },
  });
  const masked = maskingUnits.map((unit): Aim => {
    const repeated = Math.ceil(characters / unit.length);
    const mask = (share: number): void => void maskSecrets(`sk-1${unit.repeat(repeated * share)}a`);
    return { aim: `masking many ${JSON.stringify(unit.slice(0, 20))}, growth`, value: growth(mask), most: 8 };
  });
  const parsed = (quick ? [] : hostileMarkdown).flatMap(({ name, text }): readonly Aim[] => {
    // With the end of the whole: what is tried at each character is often found, or not, at the last.
    const part = (share: number): string => text.slice(0, (text.length - 1) * share) + (text.at(-1) ?? '');
    const whole = growth((share) => void new MarkdownBlocks().render(part(share), true));
    const names = growth((share) => void (fileNamesIn(part(share)).length + Number(mayBeName(part(share)))));
    return [
      { aim: `parsing ${name}, growth`, value: whole, most: 20 },
      { aim: `finding names in ${name}, growth`, value: names, most: 20 },
    ];
  });
  const aims = [...masked, ...parsed];
  const worst = Math.max(...aims.map(({ value }) => value));
  console.log(
    `  ${aims.length} hostile texts; the cost of four times as much grows by ${worst.toFixed(1)} at the most`,
  );
  return { figures: { growth: aims }, aims };
};

function growth(work: (share: number) => void): number {
  const quarter = cpuMs(() => work(0.25));
  // Below 60 ms a collection of garbage weighs more than the work.
  return Math.round((cpuMs(() => work(1)) / Math.max(quarter, 60)) * 10) / 10;
}

/** Processor time, the least of three: other programs and collections of garbage count as little as possible. */
function cpuMs(work: () => void): number {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
