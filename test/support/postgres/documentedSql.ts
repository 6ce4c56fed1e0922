import { readFileSync } from 'node:fs';

const guide = new URL('../../../docs/sync-team.md', import.meta.url);

/** SQL blocks of a section of docs/sync-team.md, in order. Throws when there are fewer than `least`. */
export function documentedSql(heading: string, least: number): readonly string[] {
  const sections = readFileSync(guide, 'utf8').split(/^## /m);
  const section = sections.find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql]) => sql ?? '');
  if (blocks.length < least) throw new Error(`“${heading}” has ${blocks.length} blocks of SQL.`);
  return blocks;
}
