/** The distortion categories of image quality; a tool's strengths name these and no others. */
export const distortions = [
  'Blurs',
  'Color distortions',
  'Compression',
  'Noise',
  'Brightness change',
  'Spatial distortions',
  'Sharpness',
  'Contrast',
] as const;

/** FR (full reference) compares with a reference image, NR (no reference) rates one image alone. */
export const iqaTypes = ['FR', 'NR'] as const;
