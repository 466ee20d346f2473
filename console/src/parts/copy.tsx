import { Clipboard } from '@ark-ui/react/clipboard';

/** @param of what is copied, said to those who do not see it beside the button. */
export function Copy({ value, of }: { value: string; of: string }) {
  return (
    <Clipboard.Root value={value} className="copy">
      <Clipboard.Trigger className="button small" aria-label={`Copy ${of}`}>
        <Clipboard.Indicator copied="Copied">Copy</Clipboard.Indicator>
      </Clipboard.Trigger>
    </Clipboard.Root>
  );
}
