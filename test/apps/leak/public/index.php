<?php

// Only for servers that keep the app in memory: see ../handler.php.
