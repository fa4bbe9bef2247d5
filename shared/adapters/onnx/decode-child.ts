import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { firstLine, restrictFormats } from '../images/picture-formats.ts';
import { endWithParent } from '../node/orphan-watch.ts';
import type { Spooled } from './decode-apart.ts';
import { pixelPipeline } from './pixel-pipeline.ts';

/** The process that decodes one large picture: bytes come in, pixels go to the file, and the process ends. */
endWithParent();
restrictFormats(sharp);
const [path = '', ignoreIcc] = process.argv.slice(2);
try {
  const { width, height, channels } = await pixelPipeline(await buffer(process.stdin), ignoreIcc === 'true').toFile(
    path,
  );
  process.stdout.write(JSON.stringify({ width, height, channels } satisfies Spooled));
} catch (thrown) {
  process.stderr.write(firstLine(thrown));
  process.exitCode = 1;
}
