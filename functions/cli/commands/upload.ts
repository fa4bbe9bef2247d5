import { type Command, UsageError } from '../command.ts';
import { uploadPicture } from '../picture-files.ts';
import { findPictures } from '../pictures.ts';
import { readNamed } from '../read-file.ts';

export const upload: Command = {
  usage: 'upload FILE...',
  summary: 'Stores pictures and prints their keys, which tools take for a picture',
  examples: ['upload photo.jpg', 'invoke image_info image=$(assay upload photo.jpg)'],
  takesUploads: true,
  async run(cli) {
    if (cli.positionals.length === 0) throw new UsageError('FILE is missing');
    const api = await cli.api();
    const uploaded: { file: string; key: string }[] = [];
    for (const file of await findPictures(cli.positionals))
      uploaded.push({ file, key: await uploadPicture(api, file, await readNamed(file)) });
    cli.output.result({ uploaded }, () =>
      uploaded.map(({ file, key }) => (uploaded.length === 1 ? key : `${key}  ${file}`)).join('\n'),
    );
    return 0;
  },
};
