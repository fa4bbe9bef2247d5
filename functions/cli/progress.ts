/** A progress bar on stderr in a terminal; nothing otherwise. */
export interface Progress {
  step(note?: string): void;
  done(): void;
}

const WIDTH = 24;

export const createProgress = (total: number, stream: NodeJS.WriteStream, shown = stream.isTTY === true): Progress => {
  let finished = 0;
  const draw = (note: string) => {
    const filled = Math.round((finished / Math.max(1, total)) * WIDTH);
    stream.write(
      `\r\u001b[K${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${finished}/${total} ${note.slice(0, 40)}`,
    );
  };
  return {
    step(note = '') {
      finished++;
      if (shown) draw(note);
    },
    done: () => void (shown && stream.write('\r\u001b[K')),
  };
};
