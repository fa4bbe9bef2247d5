/** Bundles the command of a clone after an installation. Without it the command runs its sources, only slower. */
try {
  const { bundleClone } = await import('./bundle-command.ts');
  await bundleClone();
} catch (error) {
  process.stderr.write(`assay runs from its sources, as its command could not be bundled: ${error.message}\n`);
}
