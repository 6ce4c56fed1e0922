import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignLineage } from '../foreign';
import { isoTimeOf, nameOf, objectOf, textOf } from '../reading/fields';

/** The first line of a rollout. */
interface CodexMeta {
  readonly id: string | null;
  readonly lineage: ForeignLineage | null;
  readonly folder: string | null;
  readonly startedAt: number | null;
  readonly writtenBy: string | null;
  readonly provider: string | null;
}

export function codexMeta(payload: JsonObject | null): CodexMeta {
  return {
    id: nameOf(payload, 'id'),
    lineage: lineageOf(payload),
    folder: nameOf(payload, 'cwd'),
    startedAt: isoTimeOf(payload, 'timestamp'),
    writtenBy: nameOf(payload, 'cli_version'),
    provider: nameOf(payload, 'model_provider'),
  };
}

function lineageOf(payload: JsonObject | null): ForeignLineage | null {
  const spawn = objectOf(objectOf(objectOf(payload, 'source'), 'subagent'), 'thread_spawn');
  const starter = nameOf(spawn, 'parent_thread_id') ?? nameOf(payload, 'parent_thread_id');
  if (starter !== null) return { kind: 'delegate', parentId: starter };
  const base = nameOf(objectOf(payload, 'history_base'), 'thread_id');
  const origin = nameOf(payload, 'forked_from_id') ?? (base === nameOf(payload, 'id') ? null : base);
  return origin === null ? null : { kind: 'branch', parentId: origin };
}

/** Folder that the old format tells only to the model. */
export function folderInContext(text: string): string | null {
  return (
    /^<environment_context>[\s\S]{0,2000}?(?:<cwd>|Current working directory: )([^<\n]+)/.exec(text)?.[1]?.trim() ??
    null
  );
}

/** Folder and model of a turn. */
export function turnContext(payload: JsonObject | null): {
  readonly folder: string | null;
  readonly model: string | null;
} {
  return { folder: nameOf(payload, 'cwd'), model: textOf(payload, 'model') };
}
