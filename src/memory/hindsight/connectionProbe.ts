import type { Answer } from './failure';
import type { HindsightApi, ServerVersion } from './hindsightApi';

/** Whether a Hindsight server answers and lets us in. Nothing is written, and a bank that does not exist yet is no fault: it is made by the first
 *  write. */
export async function testHindsight(api: HindsightApi, signal: AbortSignal): Promise<Answer<ServerVersion>> {
  const version = await api.version(signal);
  if (version.kind === 'failed') return version;
  // Servers tell their version to anybody; what is in a bank only to those who may know.
  const allowed = await api.openOperations(signal);
  return allowed.kind === 'failed' ? allowed : version;
}
