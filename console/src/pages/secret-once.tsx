import { setOwnKey, useOwnKey } from '../api/own-key.ts';
import { Code } from '../parts/code.tsx';
import { Modal } from '../parts/modal.tsx';
import { go } from '../route.ts';

/** A new key, which the service never shows again. Only its own buttons close it. */
export function SecretOnce({
  title,
  secret,
  onClose,
}: {
  title: string;
  secret: string | null;
  onClose(): void;
}) {
  const ownKey = useOwnKey();
  // Who has none yet has this one in the playground, whichever way they go there.
  const close = () => {
    if (ownKey === '') setOwnKey(secret ?? '');
    onClose();
  };
  return (
    <Modal title={title} open={secret !== null} onClose={close} closesOutside={false}>
      <p>Copy it now and keep it safe: it is shown only this once.</p>
      <Code text={secret ?? ''} label="the key" wrap />
      <div className="actions end">
        <button type="button" className="button" onClick={close}>
          I have kept it
        </button>
        <button
          type="button"
          className="button primary"
          onClick={() => {
            setOwnKey(secret ?? '');
            onClose();
            go('playground', 'web.scrape');
          }}
        >
          Try it in the playground
        </button>
      </div>
      <p className="fine">The playground keeps it in this tab only, until you sign out or close the tab.</p>
    </Modal>
  );
}
