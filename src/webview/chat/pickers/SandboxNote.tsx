import { Icon } from '../../Icon';
import { sandboxLabels } from '../cards/sandboxLabels';
import { useChat } from '../state/chat';

/** Note below the modes: tells the user if commands run in a sandbox here. */
export function SandboxNote() {
  const { sandbox } = useChat().steady.value;
  const labels = sandboxLabels(sandbox);
  if (labels === null) return null;
  return (
    <p class="option-note">
      <Icon name={sandbox?.kind === 'works' ? 'lock' : 'unlock'} />
      <span>{labels}</span>
    </p>
  );
}
