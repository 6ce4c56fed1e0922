import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { JsonObject } from '../../../src/transcript/json';
import { reply } from './reply';
import type { Reply } from './reply';

const jsonObject = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** A reply that plays a recorded stream: a file with one `data:` payload per line. */
export function playsRecording(file: string): Reply {
  const payloads = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => v.parse(jsonObject, JSON.parse(line)));
  return reply()
    .sends(...payloads)
    .endsWithoutFinish();
}
