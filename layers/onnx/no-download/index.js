/**
 * Stands in for `global-agent`, which nothing but onnxruntime-node's install script loads, and first of all. The script
 * would fetch CUDA from a host that is no npm registry; it goes on only where somebody asks for it.
 */
exports.bootstrap = () => {
  if (!process.env.ONNXRUNTIME_NODE_INSTALL) process.exit(0);
};
