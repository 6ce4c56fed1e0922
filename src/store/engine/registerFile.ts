import { dirname } from 'node:path';
import * as v from 'valibot';
import { readWhole, replaceFile, type FileSystem } from './fileSystem';

/** Reads a small JSON file; undefined when there is none or it does not have this form. */
export function readRegister<T>(
  fileSystem: FileSystem,
  path: string,
  schema: v.GenericSchema<unknown, T>,
): T | undefined {
  if (fileSystem.stat(path) === undefined) return undefined;
  try {
    const parsed = v.safeParse(schema, JSON.parse(new TextDecoder().decode(readWhole(fileSystem, path))));
    return parsed.success ? parsed.output : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Replaces the file, at once or not at all. */
export function writeRegister(fileSystem: FileSystem, path: string, content: unknown): void {
  fileSystem.makeFolder(dirname(path));
  replaceFile(fileSystem, path, new TextEncoder().encode(JSON.stringify(content, null, 2)));
}
