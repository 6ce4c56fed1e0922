import * as v from 'valibot';
import type { AnyTool } from '../tool';
import { editTool, type FileToolDeps } from './editCalls';
import { fitted, openExisting, openTarget } from './openTarget';
import { patched } from './patching';
import { type PatchedFile, readPatch } from './patchText';
import type { PlannedChange } from './plannedChange';

/** Changes several files in one call, all or none. */
export function applyPatchTool(deps: FileToolDeps): AnyTool {
  return editTool(deps, {
    name: 'apply_patch',
    description: [
      'Changes several files at once (create, change, delete, move), all or none. The patch is written like this:',
      '*** Begin Patch',
      '*** Update File: src/cart.ts',
      '@@ export function total(cart: Cart): number {',
      '   const items = cart.items;',
      '-  return sum(items);',
      '+  return sum(items) - cart.discount;',
      '*** Add File: src/discount.ts',
      '+export const none = 0;',
      '*** Delete File: src/old.ts',
      '*** End Patch',
      'Lines that stay begin with " ", lines that go with "-", lines that come with "+". Give about three lines ' +
        'that stay around each change, copied from the file; "@@ <line>" names a line above when that is not ' +
        'enough to find the place. "*** Move to: <path>" below "*** Update File:" moves the file. A unified diff ' +
        'is taken too.',
    ].join('\n'),
    schema: v.object({
      patch: v.pipe(
        v.string(),
        v.nonEmpty('is empty'),
        v.description('The whole patch, from "*** Begin Patch" to "*** End Patch".'),
      ),
    }),
    plan: async ({ patch }, signal) => {
      const changes: PlannedChange[] = [];
      for (const file of readPatch(patch)) changes.push(...(await planned(deps, file, signal)));
      return changes;
    },
  });
}

async function planned(deps: FileToolDeps, patch: PatchedFile, signal: AbortSignal): Promise<readonly PlannedChange[]> {
  switch (patch.kind) {
    case 'add': {
      const { target, file } = await openTarget(deps, patch.path, signal);
      if (file !== null)
        throw new Error(
          `${target.shown} exists already, so it cannot be added. Change it with "*** Update File:". Nothing was ` +
            'changed.',
        );
      return [{ target, before: null, after: patch.text }];
    }
    case 'delete': {
      const { target, file } = await openExisting(deps, patch.path, signal);
      return [{ target, before: file, after: null }];
    }
    case 'update': {
      const { target, file } = await openExisting(deps, patch.path, signal);
      const after = fitted(target, () => patched(file.text, patch.hunks, target.shown));
      const moved = patch.moveTo === null ? null : await openTarget(deps, patch.moveTo, signal);
      if (moved === null || moved.target.path === target.path) return [{ target, before: file, after }];
      if (moved.file !== null)
        throw new Error(
          `${target.shown} cannot be moved to ${moved.target.shown}, because there is a file already. Nothing ` +
            'was changed.',
        );
      return [
        { target: moved.target, before: null, after, format: { encoding: file.encoding, hasBom: file.hasBom } },
        { target, before: file, after: null },
      ];
    }
  }
}
