import { t } from '../../base/translate';
import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import type { MemoryChoice, WindowMemory } from '../../host/window/windowMemory';
import { builtinName } from './core/builtinProvider';
import { MemoryFiles } from './host/memoryFiles';

/** Short notes in files on this machine, and search in earlier sessions (docs/memory.md). */
export function register(window: WindowContext): void {
  const { own, memory, log } = window;
  const files = own(new MemoryFiles(window));
  own(memory.providers.register(files.factory));
  own(memory.local.fill(builtinChoice(memory)));
  own(registerCommands({ openMemory: () => files.open() }, log));
}

export function builtinChoice(memory: Pick<WindowMemory, 'use'>): MemoryChoice {
  return {
    provider: builtinName,
    label: t('Built-in'),
    detail: t('Short notes about you and your projects, in files on this machine.'),
    choose: () => memory.use(builtinName, t('Built-in memory is on, starting with your next prompt.')),
  };
}
