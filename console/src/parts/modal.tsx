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
