import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const text = (file: string): string => readFileSync(file, 'utf8');
const plain = (words: string): string => words.replace(/\s+/g, ' ').replace(/’/g, "'").replace(/[“”]/g, '"');

/** Sentences that the product shows, with their placeholders, and what it tells the model. */
const shown = [
  ...Object.keys(JSON.parse(text('l10n/bundle.l10n.json')) as Record<string, string>),
  ...Object.values(JSON.parse(text('package.nls.json')) as Record<string, string>),
  text('src/transcript/closingText.ts'),
].map(plain);
/** A pattern of few own words would match anything. */
const patterns = shown
  .filter(
    (sentence) => sentence.length < 2_000 && sentence.replace(/\{[^}]*\}/g, '').length > 12 && /\{/.test(sentence),
  )
  .map(
    (sentence) =>
      new RegExp(
        sentence
          .split(/\{[^}]*\}/)
          .map(escaped)
          .join('.+?'),
      ),
  );

function escaped(words: string): string {
  return words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Whole sentences in double quotes, without what "…" leaves out. */
function quotedIn(document: string): readonly string[] {
  const paragraphs = document.replace(/```[\s\S]*?```/g, '').split(/\n\s*\n|\n(?=[|\-*#])/);
  return paragraphs
    .flatMap((paragraph) => [...paragraph.replace(/`[^`]*`/g, '`').matchAll(/"([^"]+)"/g)])
    .map(([, quoted = '']) => plain(quoted))
    .filter((quoted) => /^[A-Z].*[.?!…]$/.test(quoted) && quoted.split(' ').length >= 4)
    .flatMap((quoted) => quoted.split(/…|(?<=[.?!]) /))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(' ').length > 2);
}

function documents(): readonly string[] {
  const within = (folder: string, suffix: string): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(suffix))
      .map((name) => path.join(folder, name));
  return ['README.md', 'SECURITY.md', ...within('docs', '.md'), ...within('src', 'README.md')];
}

it('sentences that the documents quote are shown like that, so that a search for one that was read finds them', () => {
  const isShown = (sentence: string): boolean =>
    shown.some((each) => each.includes(sentence)) || patterns.some((pattern) => pattern.test(sentence));
  const quoted = documents().flatMap((file) => quotedIn(text(file)).map((sentence) => ({ file, sentence })));
  expect(quoted.length).toBeGreaterThan(15);
  expect(quoted.filter(({ sentence }) => !isShown(sentence))).toEqual([]);
});
