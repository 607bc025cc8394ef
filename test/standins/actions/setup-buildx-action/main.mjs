throw new Error('a builder in a container cannot be had here');
