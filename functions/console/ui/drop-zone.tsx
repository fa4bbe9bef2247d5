import { plural, showBytes } from '../format.ts';
import { useEffect } from '../use-effect.ts';
import { useState } from '../use-state.ts';

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly files: readonly File[];
  readonly many?: boolean;
  onFiles(files: readonly File[]): void;
}

/** Accepts pictures by drag and drop, file dialog and keyboard: a file input with a large label. */
export const DropZone = ({ label, hint, files, many = false, onFiles }: Props) => {
  const [isOver, setOver] = useState(false);
  const take = (list: FileList | null | undefined): void => {
    const taken = [...(list ?? [])];
    if (taken.length > 0) onFiles(many ? taken : taken.slice(0, 1));
  };
  const hover = (event: DragEvent, over: boolean): void => {
    event.preventDefault();
    setOver(over);
  };
  const drop = (event: DragEvent): void => {
    hover(event, false);
    take(event.dataTransfer?.files);
  };
  const [first] = files;
  return (
    <div class={isOver ? 'zone over' : 'zone'}>
      <label
        class="zone-label"
        onDragOver={(event: DragEvent) => hover(event, true)}
        onDragLeave={(event: DragEvent) => hover(event, false)}
        onDrop={drop}
      >
        {first ? <Preview file={first} /> : <span class="zone-mark" aria-hidden="true" />}
        <span class="zone-text">
          <span class="zone-title">{label}</span>
          <span class="muted small">{first ? describe(files) : `Drop or choose: ${hint}`}</span>
        </span>
        <input
          class="sr-only"
          type="file"
          accept="image/*"
          multiple={many}
          aria-label={label}
          onChange={(event: Event) => take((event.target as HTMLInputElement).files)}
        />
      </label>
      {first && (
        <button
          type="button"
          class="button quiet small zone-clear"
          aria-label={`Remove ${label}`}
          onClick={() => onFiles([])}
        >
          Remove
        </button>
      )}
    </div>
  );
};

const describe = (files: readonly File[]): string => {
  const size = showBytes(files.reduce((sum, file) => sum + file.size, 0));
  return files.length === 1 ? `${files[0]?.name}, ${size}` : `${plural(files.length, 'file')}, ${size}`;
};

/** Files that the browser cannot show, such as TIFF, may still be scored. */
const Preview = ({ file }: { readonly file: File }) => {
  const address = useObjectUrl(file);
  const [unseen, setUnseen] = useState<string | undefined>(undefined);
  if (address === undefined || address === unseen) return <span class="zone-preview unseen">no preview</span>;
  return <img class="zone-preview" src={address} alt="" onError={() => setUnseen(address)} />;
};

/** An object URL for a file or blob, revoked when it is no longer shown. */
export const useObjectUrl = (blob: Blob | undefined): string | undefined => {
  const [address, setAddress] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (!blob) {
      setAddress(undefined);
      return undefined;
    }
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return address;
};
