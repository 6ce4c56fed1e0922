import { Icon } from '../../../Icon';
import { sandboxLabels } from '../../labels/sandboxLabels';
import { useChat } from '../common/ChatContext';

/** Note below the modes: tells the user if commands run in a sandbox here. */
export function SandboxNote() {
  const { sandbox } = useChat().steady.value;
  const words = sandboxLabels(sandbox);
  if (words === null) return null;
  return (
    <p class="option-note">
      <Icon name={sandbox?.kind === 'works' ? 'lock' : 'unlock'} />
      <span>{words}</span>
    </p>
  );
}
