import { Dialog } from '@ark-ui/react/dialog';
import { Portal } from '@ark-ui/react/portal';
import type { ReactNode } from 'react';

export interface ModalProps {
  title: string;
  open: boolean;
  onClose(): void;
  /** False: only its own buttons close it, so that what it shows once is not lost by a slip. */
  closesOutside?: boolean;
  children: ReactNode;
}

/** The buttons of a form in a dialog. */
export function FormEnd({
  submit,
  busy = false,
  onCancel,
}: {
  /** On the button that does it. */
  submit: string;
  busy?: boolean;
  onCancel(): void;
}) {
  return (
    <div className="actions end">
      <button type="button" className="button" onClick={onCancel}>
        Cancel
      </button>
      <button type="submit" className="button primary" aria-disabled={busy}>
        {submit}
      </button>
    </div>
  );
}

export function Modal({ title, open, onClose, closesOutside = true, children }: ModalProps) {
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(details) => {
        if (!details.open) onClose();
      }}
      closeOnInteractOutside={closesOutside}
      closeOnEscape={closesOutside}
      lazyMount
      unmountOnExit
    >
      <Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Positioner className="positioner">
          <Dialog.Content className="dialog">
            <Dialog.Title className="dialog-title">{title}</Dialog.Title>
            {children}
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}
