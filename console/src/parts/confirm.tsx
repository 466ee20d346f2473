import { Dialog } from '@ark-ui/react/dialog';
import { Portal } from '@ark-ui/react/portal';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { messageOf } from '../api/client.ts';
import { Notice } from './notice.tsx';

export interface ConfirmProps {
  /** On the button that asks. */
  label: string;
  /** Said with the label to those who do not see the row that it stands in. */
  of: string;
  title: string;
  children: ReactNode;
  /** On the button that does it. */
  action: string;
  danger?: boolean;
  onConfirm(): Promise<void>;
}

/** A button that asks before it does something. */
export function Confirm({ label, of, title, children, action, danger = false, onConfirm }: ConfirmProps) {
  const [open, setOpen] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);

  // What was done may take the row away, and the focus would go with it.
  useLayoutEffect(() => {
    const button = trigger.current;
    return () => {
      if (button !== null && button === document.activeElement) document.getElementById('main')?.focus();
    };
  }, []);

  async function confirm(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      setOpen(false);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog.Root
      open={open}
      onOpenChange={(details) => {
        setOpen(details.open);
        setError(null);
      }}
      role="alertdialog"
      lazyMount
      unmountOnExit
    >
      <Dialog.Trigger
        ref={trigger}
        className={danger ? 'button small danger-text' : 'button small'}
        aria-label={`${label} ${of}`}
      >
        {label}
      </Dialog.Trigger>
      <Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Positioner className="positioner">
          <Dialog.Content className="dialog">
            <Dialog.Title className="dialog-title">{title}</Dialog.Title>
            <Dialog.Description asChild>
              <div>{children}</div>
            </Dialog.Description>
            {error === null ? null : <Notice kind="error">{messageOf(error)}</Notice>}
            <div className="actions end">
              <Dialog.CloseTrigger className="button">Cancel</Dialog.CloseTrigger>
              <button
                type="button"
                className={danger ? 'button danger' : 'button primary'}
                aria-disabled={busy}
                onClick={() => void confirm()}
              >
                {action}
              </button>
            </div>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}
