import { MemoryManager, type MemoryManagerDeps } from '../../src/memory/memoryManager';
import type { MemoryProvider } from '../../src/memory/memoryProvider';

/** The memory of an agent with these providers, however many. The first may be named as external. */
export function memoryOf(
  providers: readonly MemoryProvider[],
  deps: MemoryManagerDeps,
  external?: MemoryProvider,
): MemoryManager {
  const manager = new MemoryManager(deps);
  for (const provider of providers) manager.add({ provider, kind: provider === external ? 'external' : 'builtin' });
  return manager;
}
