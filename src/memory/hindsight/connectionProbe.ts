import type { Answer } from './failure';
import type { HindsightApi, ServerVersion } from './hindsightApi';

/** Tests that a Hindsight server answers and accepts the key. Writes nothing. A missing bank is not an error: the
 *  first write creates it. */
export async function testHindsight(api: HindsightApi, signal: AbortSignal): Promise<Answer<ServerVersion>> {
  const version = await api.version(signal);
  if (version.kind === 'failed') return version;
  // A server reports its version to everybody, but the contents of a bank only to authorized clients.
  const allowed = await api.openOperations(signal);
  return allowed.kind === 'failed' ? allowed : version;
}
