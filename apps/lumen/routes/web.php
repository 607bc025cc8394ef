<?php

/** @var Laravel\Lumen\Routing\Router $router */
$router->get('/', 'JsonController@describe');
