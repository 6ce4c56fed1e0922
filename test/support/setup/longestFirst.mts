import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Runs the files first whose path has one of these parts, in their order. By itself vitest goes by earlier runs, and on a fresh clone by the
 *  size of the files: a long one may then come last and be waited for alone. */
export function longestFirst(parts: readonly string[]): typeof BaseSequencer {
  const rank = ({ moduleId }: TestSpecification): number => {
    const file = path.relative(process.cwd(), moduleId).replaceAll('\\', '/');
    const place = parts.findIndex((part) => file.includes(part));
    return place < 0 ? parts.length : place;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
    }
  };
}
