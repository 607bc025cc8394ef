throw new Error('a builder in a container is not available here');
