import type { FileOrigin } from '../../transcript/contextFiles';
import type { AgentFolder } from './agentFolder';

/** A file that may define hooks. Its text never reaches a model. */
export interface HookFile {
  /** Path as it is shown. */
  readonly path: string;
  readonly text: string;
  /** Absolute path of the open folder that it belongs to. Null: it is the user's own. */
  readonly folder: string | null;
  readonly origin: FileOrigin;
}

/** Reads the files of one folder that may define hooks. Rejects when one cannot be read. */
export async function readHookFiles(folder: AgentFolder): Promise<readonly HookFile[]> {
  const { files, folders } = folder.layout.hooks;
  const inFolders = await Promise.all(
    folders.map(async (path) => (await folder.names(path, 'file', 'hooks')).map((name) => `${path}/${name}`)),
  );
  const paths = [...files, ...inFolders.flat().filter((path) => path.endsWith('.json'))];
  const found = await Promise.all(paths.map(async (path) => ({ path, text: await folder.text(path, 'hooks') })));
  return found.flatMap(({ path, text }) =>
    text === null ? [] : [{ path: folder.shown(path), text, folder: folder.root, origin: folder.origin }],
  );
}
