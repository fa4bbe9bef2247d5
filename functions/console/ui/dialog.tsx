import type { Child } from 'hono/jsx';
import { useRef } from 'hono/jsx/dom';
import { useEffect } from '../use-effect.ts';

interface Props {
  readonly title: string;
  readonly children?: Child;
  /** Without it the dialog cannot be dismissed. */
  onClose?(): void;
}

/** A modal dialog: the browser traps the focus in it and restores it afterwards. */
export const Dialog = ({ title, children, onClose }: Props) => {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose?.();
  };
  return (
    <dialog ref={box} class="dialog" aria-label={title} onCancel={cancel}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
};
